# Lets doxygen read our headers: plain comments above a declaration become `///`, those behind one
# `///<`, and the one at the top of a file describes the file. Every line keeps its number.

function print_held(marked,   i) {
  for (i = 1; i <= held; ++i) {
    if (marked) sub(/\/\//, "///", block[i])
    print block[i]
  }
  held = 0
}

/^ *\/\// { block[++held] = $0; next }
/^ *$/ { print_held(0); print; next }
/^#pragma once/ { print_held(1); print "/// \\file"; next }
{
  print_held(1)
  if ($0 !~ /^ *}/ && match($0, /[;,}A-Za-z0-9] +\/\/ /)) {
    $0 = substr($0, 1, RSTART) " ///< " substr($0, RSTART + RLENGTH)
  }
  print
}
END { print_held(0) }
