// Writes vectors.txt: hashes and filters of the real library.
//
//   apt-get install librocksdb-dev g++
//   g++ -std=c++17 vectors.cc -lrocksdb -o vectors && ./vectors > vectors.txt
//
// A filter is taken out of a table file, through nothing but public interfaces:
// a table of format version 5 without compression is written, and its filter
// block found by the footer and the meta index. The two hash functions are
// exported by the library, but declared in none of its installed headers.
//
// Keys are numbered: key i has its 4 bytes, big-endian, and then (i % 61) bytes,
// of which byte j is i + 7 j, mod 256.

#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/table.h>
#include <rocksdb/version.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

namespace rocksdb {
uint64_t Hash64(const char* data, size_t n, uint64_t seed);
uint64_t Hash64(const char* data, size_t n);
}  // namespace rocksdb

static void check(bool ok, const std::string& what) {
  if (!ok) {
    fprintf(stderr, "%s\n", what.c_str());
    exit(1);
  }
}

static std::string key(uint32_t i) {
  std::string k;
  for (int shift = 24; shift >= 0; shift -= 8) k += char(i >> shift);
  for (uint32_t j = 0; j < i % 61; j++) k += char(i + 7 * j);
  return k;
}

// fixed and varint read little-endian numbers and move on.
static uint64_t fixed(const std::string& s, size_t at, int bytes) {
  uint64_t v = 0;
  for (int i = 0; i < bytes; i++) v |= uint64_t(uint8_t(s.at(at + i))) << (8 * i);
  return v;
}

static uint64_t varint(const std::string& s, size_t& at) {
  uint64_t v = 0;
  for (int shift = 0;; shift += 7) {
    uint8_t b = s.at(at++);
    v |= uint64_t(b & 127) << shift;
    if (b < 128) return v;
  }
}

// filterBlock finds the filter in a table file. The footer's last 53 bytes are
// the kind of checksum, the handles of meta index and index, the version and a
// magic number. A handle is the offset and the size of a block. Entries of the
// meta index are name and handle, names with what they share with the one before
// left out; after them come the restart points and their number.
static std::string filterBlock(const std::string& file) {
  size_t at = file.size() - 53 + 1;
  uint64_t offset = varint(file, at), size = varint(file, at);
  std::string meta = file.substr(offset, size), name;
  size_t end = size - 4 - 4 * fixed(meta, size - 4, 4);
  for (at = 0; at < end;) {
    uint64_t shared = varint(meta, at), more = varint(meta, at), length = varint(meta, at);
    name = name.substr(0, shared) + meta.substr(at, more);
    std::string handle = meta.substr(at + more, length);
    at += more + length;
    if (name.rfind("fullfilter.", 0) == 0) {
      size_t h = 0;
      uint64_t from = varint(handle, h), bytes = varint(handle, h);
      return file.substr(from, bytes);
    }
  }
  check(false, "no filter in the table");
  return "";
}

static std::string filter(uint32_t n, double bits) {
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(bits));
  table.format_version = 5;
  table.whole_key_filtering = true;
  rocksdb::Options options;
  options.compression = rocksdb::kNoCompression;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  const char* path = "vectors.sst";
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), options);
  rocksdb::Status s = writer.Open(path);
  for (uint32_t i = 0; s.ok() && i < n; i++) s = writer.Put(key(i), "");
  if (s.ok()) s = writer.Finish();
  check(s.ok(), s.ToString());
  std::ifstream in(path, std::ios::binary);
  std::string file((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  remove(path);
  return filterBlock(file);
}

int main() {
  printf("# RocksDB %d.%d.%d, written by vectors.cc\n", ROCKSDB_MAJOR, ROCKSDB_MINOR, ROCKSDB_PATCH);
  printf("# hash: bytes of the key, of which byte j is 1 + 7 j mod 256; Hash64, and Hash64 with the seed 42\n");
  for (size_t n = 0; n <= 3000; n += n < 300 ? 1 : 97) {
    std::string k;
    for (size_t j = 0; j < n; j++) k += char(1 + 7 * j);
    printf("hash %zu %016llx %016llx\n", n, (unsigned long long)rocksdb::Hash64(k.data(), n),
           (unsigned long long)rocksdb::Hash64(k.data(), n, 42));
  }
  printf("# filter: keys, bits per key, bytes, probes, FNV-1a (64 bits) of the filter block\n");
  const double rates[] = {0.5, 1, 1.5, 2.08, 2.081, 3.58, 3.6, 5.1, 5.2, 6.64, 6.7, 8.3, 8.31, 9.585, 10, 10.07, 10.08,
                          11.72, 12, 14.001, 14.1, 16, 16.05, 16.1, 18.3, 18.4, 20, 22.001, 22.1, 25.501, 25.6,
                          28, 28.001, 40, 50, 50.001, 64};
  const uint32_t sizes[] = {1, 2, 10, 100, 1000, 12345};
  for (uint32_t n : sizes) {
    for (double bits : rates) {
      std::string f = filter(n, bits);
      uint64_t h = 0xcbf29ce484222325;
      for (char c : f) h = (h ^ uint8_t(c)) * 0x100000001b3;
      printf("filter %u %g %zu %d %016llx\n", n, bits, f.size(), f.at(f.size() - 3), (unsigned long long)h);
    }
  }
}
