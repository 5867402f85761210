#!/usr/bin/perl
# Writes case_folding_table.hpp: perl case_folding_table.pl > case_folding_table.hpp
# Source: Unicode's CaseFolding.txt as Perl carries it (Unicode::UCD), statuses C and S, that is simple case folding.
use strict;
use warnings;
use Unicode::UCD qw(casefold);

my @runs;    # [first, last, step, delta]: first, first + step, … last fold to themselves + delta
for my $c (0 .. 0x1FFFF) {
    my $fold = casefold($c) or next;
    next if $fold->{simple} eq '';
    my $delta = hex($fold->{simple}) - $c;
    next if $delta == 0;
    my $run = $runs[-1];
    if ($run && $run->[3] == $delta) {
        my $step = $c - $run->[1];
        if ($step <= 2 && ($run->[0] == $run->[1] || $step == $run->[2])) {
            @$run[1, 2] = ($c, $step);
            next;
        }
    }
    push @runs, [$c, $c, 1, $delta];
}

print "// Unicode ", Unicode::UCD::UnicodeVersion(), " simple case folding. Made by case_folding_table.pl; do not edit.\n";
print "#pragma once\n\n#include <cstdint>\n\nnamespace sluice::filter {\n\n";
print "// first, first + step, … last fold to themselves + delta. In ascending order.\n";
print "struct CaseFoldingRun {\n    char32_t first, last;\n    std::uint8_t step;\n    std::int32_t delta;\n};\n\n";
print "inline constexpr CaseFoldingRun case_folding_runs[] = {\n";
printf "    {0x%X, 0x%X, %d, %d},\n", @$_ for @runs;
print "};\n\n}  // namespace sluice::filter\n";
