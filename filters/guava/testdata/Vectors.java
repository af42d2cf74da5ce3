// Writes vectors.txt: hashes and filters of the real library.
//
//	apt-get install libguava-java default-jdk-headless
//	java -cp /usr/share/java/guava.jar Vectors.java > vectors.txt
//
// Keys are numbered: key i has i % 41 bytes, byte j is (i >> 8 (j % 3)) + 7 j, mod 256.

import com.google.common.hash.BloomFilter;
import com.google.common.hash.Funnels;
import com.google.common.hash.Hashing;
import java.io.ByteArrayOutputStream;

class Vectors {
  static byte[] key(int i) {
    byte[] key = new byte[i % 41];
    for (int j = 0; j < key.length; j++) {
      key[j] = (byte) ((i >> 8 * (j % 3)) + 7 * j);
    }
    return key;
  }

  static String hex(byte[] bytes) {
    StringBuilder s = new StringBuilder();
    for (byte b : bytes) {
      s.append(String.format("%02x", b));
    }
    return s.toString();
  }

  public static void main(String[] args) throws Exception {
    System.out.println("# Guava 31.1 (Debian's libguava-java 31.1-1), written by Vectors.java");
    System.out.println("# hash: number of the key, murmur3_128");
    for (int i = 0; i < 82; i++) {
      System.out.println("hash " + i + " " + Hashing.murmur3_128().hashBytes(key(i)));
    }
    System.out.println("# filter: keys it is made for, rate, keys put, keys of the next 10000 it claims,");
    System.out.println("# SHA-256 of what writeTo writes");
    int[] sizes = {0, 1, 2, 10, 100, 1000, 12345};
    double[] rates = {0.5, 0.1, 0.05, 0.03, 0.01, 0.001, 1e-6, 1e-12};
    for (int n : sizes) {
      for (double p : rates) {
        BloomFilter<byte[]> filter = BloomFilter.create(Funnels.byteArrayFunnel(), n, p);
        for (int i = 0; i < n; i++) {
          filter.put(key(i));
        }
        int claimed = 0;
        for (int i = n; i < n + 10000; i++) {
          if (filter.mightContain(key(i))) {
            claimed++;
          }
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        filter.writeTo(out);
        System.out.println("filter " + n + " " + p + " " + n + " " + claimed + " "
            + Hashing.sha256().hashBytes(out.toByteArray()));
      }
    }
  }
}
