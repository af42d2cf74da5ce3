//go:build !race

package filtertest

const raced = false
