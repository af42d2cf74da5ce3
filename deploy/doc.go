// Package deploy holds the files that run shards of a profile elsewhere: in a
// Kubernetes Indexed Job and in a Slurm array. Its tests hold them, and the
// workflows, against the program.
package deploy
