package workloads

import (
	"strconv"

	"filterbench/filters/hashing"
)

// openURL makes addresses like those of a crawl: hosts of which few are
// frequent, articles, products, searches, pictures and videos.
//
// Every address ends in a token, a bijection of the key's number. The five kinds
// of address differ in the letters around the token, none of which a token
// holds, so that each address can be read back into its number and no two are
// alike. Hosts are below .example (RFC 2606).
func openURL(name, _ string, _, seed uint64) (Source, error) {
	state := hashing.Mix(seed + 6)
	return &generated{
		name: name, present: 1 << 41, absent: 1 << 41, size: 80,
		key: func(buf []byte, i uint64, absent bool) []byte {
			return appendURL(buf, permute(deal(i, absent), 42, state), state)
		},
	}, nil
}

func appendURL(buf []byte, token, state uint64) []byte {
	r := dice(mix64(state, token))
	if r.roll(8) > 0 {
		buf = append(buf, "https://"...)
	} else {
		buf = append(buf, "http://"...)
	}
	buf = appendHost(buf, &r)
	switch kind := r.roll(16); {
	case kind < 5: // article
		buf = append(append(buf, '/'), pick(&r, sections)...)
		buf = strconv.AppendUint(append(buf, "/20"...), 10+r.roll(16), 10)
		buf = strconv.AppendUint(append(buf, '/'), 1+r.roll(12), 10)
		buf = appendSlug(append(buf, '/'), &r, 3+r.roll(3))
		buf = strconv.AppendUint(append(buf, '-'), token, 10)
		return append(buf, ".html"...)
	case kind < 9: // product
		buf = append(append(buf, '/'), pick(&r, sections)...)
		buf = appendSlug(append(buf, '/'), &r, 2+r.roll(4))
		return strconv.AppendUint(append(buf, "/p/"...), token, 36)
	case kind < 12: // search
		buf = append(append(buf, '/'), pick(&r, sections)...)
		buf = appendSlug(append(buf, "/search?q="...), &r, 1+r.roll(3))
		buf = strconv.AppendUint(append(buf, "&page="...), 1+r.roll(30), 10)
		return strconv.AppendUint(append(buf, "&id="...), token, 10)
	case kind < 14: // picture
		buf = append(append(buf, "/media/"...), pick(&r, sections)...)
		buf = appendSlug(append(buf, '/'), &r, 2+r.roll(3))
		buf = strconv.AppendUint(append(buf, '/'), token, 36)
		return append(buf, ".jpg"...)
	default: // video
		return strconv.AppendUint(append(buf, "/watch?v="...), token, 36)
	}
}

// appendHost picks one of 4095 hosts, each octave of ranks equally often, which
// is nearly Zipf's law with exponent 1.
func appendHost(buf []byte, r *dice) []byte {
	octave := uint64(1) << r.roll(12)
	host := dice(hashing.Mix(octave + r.roll(octave)))
	if host.roll(2) == 0 {
		buf = append(buf, "www."...)
	}
	buf = append(buf, pick(&host, slugWords)...)
	if host.roll(2) == 0 {
		buf = append(buf, '-')
	}
	buf = append(buf, pick(&host, slugWords)...)
	return append(buf, ".example"...)
}

func appendSlug(buf []byte, r *dice, words uint64) []byte {
	for i := range words {
		if i > 0 {
			buf = append(buf, '-')
		}
		buf = append(buf, pick(r, slugWords)...)
	}
	return buf
}

// dice is a small generator for choices that need not be more than even to a
// human eye: each roll takes the high bits of a multiplicative sequence.
type dice uint64

func (d *dice) roll(n uint64) uint64 {
	*d = dice(uint64(*d)*0xd1342543de82ef95 + 1)
	return hashing.Reduce(uint64(*d), n)
}

func pick(r *dice, list []string) string { return list[r.roll(uint64(len(list)))] }

var sections = []string{
	"news", "sport", "business", "science", "health", "travel", "culture", "shop",
	"garden", "music", "books", "world", "local", "opinion", "technology", "kitchen",
}

var slugWords = []string{
	"river", "north", "market", "green", "paper", "city", "spring", "small",
	"engine", "light", "harbour", "report", "open", "winter", "school", "bridge",
	"morning", "price", "quiet", "station", "garden", "first", "water", "field",
	"silver", "office", "player", "orange", "train", "museum", "double", "island",
	"record", "family", "stone", "street", "second", "doctor", "forest", "ocean",
	"letter", "window", "summer", "better", "people", "machine", "round", "valley",
	"winner", "guide", "season", "budget", "weather", "simple", "member", "coast",
	"history", "corner", "signal", "future", "kitchen", "basket", "planet", "copper",
}
