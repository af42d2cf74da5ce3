// Package memory allocates the arrays of filters: aligned to cache lines,
// checked against what the machine has before anything is allocated, on huge
// pages where that helps, and counted in full.
package memory
