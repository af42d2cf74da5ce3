#!/bin/sh
# The full profile as an array job: each task takes the shard that its number names.
#
#   sbatch deploy/slurm.sh
#   bin/runbench merge parts/* --out results/cluster     once all tasks are done
#
# merge refuses timings of different CPUs: pick nodes of one kind by --constraint.
#SBATCH --job-name=filterbench
#SBATCH --array=1-8
#SBATCH --cpus-per-task=2
#SBATCH --mem=16G
#SBATCH --time=01:00:00
#SBATCH --exclusive

set -eu
exec bin/runbench run --profile full --out "parts/$SLURM_ARRAY_TASK_ID"
