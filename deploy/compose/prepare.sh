#!/bin/sh
# What has to be there before the others start.
#
#   prepare.sh TOKEN_FILE OWNER FOLDER...
#
# The token is the value of AGENT_REACH_TOKEN where that is not empty, else the one that the file has, else a new one.
# Whoever has the file mounted may read it. The folders are given to the owner, a pair of numbers.
set -eu
umask 022

token_file=$1
owner=$2
shift 2

if [ -n "${AGENT_REACH_TOKEN:-}" ]; then
  printf '%s' "$AGENT_REACH_TOKEN" >"$token_file.new"
elif [ ! -s "$token_file" ]; then
  head -c 32 /dev/urandom | sha256sum | cut -c 1-64 | tr -d '\n' >"$token_file.new"
fi
# A reader finds a whole token or none.
if [ -e "$token_file.new" ]; then mv -f "$token_file.new" "$token_file"; fi

for folder in "$@"; do
  mkdir -p "$folder"
  chown "$owner" "$folder"
done
