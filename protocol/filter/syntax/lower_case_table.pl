#!/usr/bin/perl
# Writes lower_case_table.hpp: perl lower_case_table.pl > lower_case_table.hpp
# Source: Unicode's character data as Perl carries it. Lower-case mappings of one code point to one other are in
# the table; lower_case.cpp has the only two others, of U+0130 and of the final sigma.
use strict;
use warnings;
use Unicode::UCD;

my (@runs, @cased, @ignorable);

sub add_to_ranges {
    my ($ranges, $c) = @_;
    if (@$ranges && $ranges->[-1][1] == $c - 1) { $ranges->[-1][1] = $c }
    else { push @$ranges, [$c, $c] }
}

sub add_to_runs {    # [first, last, step, delta]
    my ($c, $delta) = @_;
    my $run = $runs[-1];
    if ($run && $run->[3] == $delta) {
        my $step = $c - $run->[1];
        if ($step <= 2 && ($run->[0] == $run->[1] || $step == $run->[2])) {
            @$run[1, 2] = ($c, $step);
            return;
        }
    }
    push @runs, [$c, $c, 1, $delta];
}

for my $c (0 .. 0x10FFFF) {
    next if $c >= 0xD800 && $c < 0xE000;
    my $character = chr $c;
    utf8::upgrade($character);    # else Perl knows no letters from 0x80 to 0xFF
    add_to_ranges(\@cased, $c) if $character =~ /\p{Cased}/;
    add_to_ranges(\@ignorable, $c) if $character =~ /\p{Case_Ignorable}/;
    my $lower = lc $character;
    die sprintf('U+%04X has several lower-case letters', $c) if length $lower != 1 && $c != 0x130;
    add_to_runs($c, ord($lower) - $c) if $c >= 0x80 && length $lower == 1 && $lower ne $character;
}

print "// Lower case by Unicode ", Unicode::UCD::UnicodeVersion(), ". Made by lower_case_table.pl; do not edit.\n";
print "#pragma once\n\n#include <cstdint>\n\nnamespace sluice::filter {\n\n";
print "// The lower case of first, first + step, … last is their own code + delta. In ascending order, from U+0080 on.\n";
print "struct LowerCaseRun {\n    char32_t first, last;\n    std::uint8_t step;\n    std::int32_t delta;\n};\n\n";
print "inline constexpr LowerCaseRun lower_case_runs[] = {\n";
printf "    {0x%X, 0x%X, %d, %d},\n", @$_ for @runs;
print "};\n\n// Properties of characters (Unicode Standard §3.13, D135 and D136). In ascending order.\n";
print "struct CodePointRange {\n    char32_t first, last;\n};\n\n";
for (['cased', \@cased], ['case_ignorable', \@ignorable]) {
    my ($name, $ranges) = @$_;
    print "inline constexpr CodePointRange ${name}_ranges[] = {\n";
    printf "    {0x%X, 0x%X},\n", @$_ for @$ranges;
    print "};\n\n";
}
print "}  // namespace sluice::filter\n";
