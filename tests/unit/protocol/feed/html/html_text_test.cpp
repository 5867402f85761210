#include "protocol/feed/html/html_text.hpp"

#include <catch2/catch.hpp>

using sluice::feed::html_text;

TEST_CASE("HTML as readers see it") {
    struct Case {
        const char *html, *text;
    };
    for (const Case& c :
         {Case{"", ""},
          {"plain", "plain"},
          {"Tom &amp; Jerry", "Tom & Jerry"},
          {"&lt;b&gt;", "<b>"},
          {"&amp;lt;", "&lt;"},
          {"a<b>b</b>c", "abc"},
          {"<p>a</p><p>b</p>", "a b"},
          {"a<br>b<br/>c<hr>", "a b c"},
          {"a \n\t b", "a b"},
          {"<ul><li>1<li>2</ul>", "1 2"},
          {"<a href=\"x>y\" title='>'>t</a>", "t"},
          {"<a title=don't>t</a>", "t"},
          {"a<!-- <b> -->b", "ab"},
          {"a<!-- no end", "a"},
          {"<!DOCTYPE html>a<?php x ?>b", "ab"},
          {"a<script>if (1 < 2) b();</script>c<style>p {}</STYLE >d", "a c d"},
          {"<script>no end", ""},
          {"1 < 2 & 3 > 2 <3", "1 < 2 & 3 > 2 <3"},
          {"a<b", "a"},
          {"&eacute;&nbsp;&hellip;", "\u00E9\u00A0\u2026"},
          {"&#233;&#xE9;&#XE9;", "\u00E9\u00E9\u00E9"},
          {"&#150;&#8364;", "\u2013\u20AC"},
          {"&#0;&#xD800;&#x110000;&#99999999;&#;&#x;&;&", "\uFFFD\uFFFD\uFFFD\uFFFD&#;&#x;&;&"},
          {"&unknown; AT&T; &amp", "&unknown; AT&T; &"},
          {"&#0000000039;&#x0000000027;&#X27;&#00000000000000000000000000000039;", "\'\'\'\'"},
          {"&#39s &#x27 &#39", "\'s \' \'"},
          {"&#xDFFF;&#x10FFFF;&#18446744073709551655;", "\uFFFD\U0010FFFF\uFFFD"},
          {"&#128;&#x80&#159;&#x9F;&#129;", "\u20AC\u20AC\u0178\u0178\u0081"},
          {"&lbrace;&rbrace;&hearts;&NotEqualTilde;&CounterClockwiseContourIntegral;", "{}\u2665\u2242\u0338\u2233"},
          {"&copy 2026 &copy2026 &copy; &COPY", "\u00A9 2026 \u00A92026 \u00A9 \u00A9"},
          {"&notit; &notin; &notin &no &n", "\u00ACit; \u2209 \u00ACin &no &n"},
          {"?a&copy=2 ?a&amp;copy=2 <a href='?a&copy=2'>x</a>", "?a&copy=2 ?a&copy=2 x"},
          {"&ampamp; &AMP;lt; &lt3 &GT", "&amp; &lt; <3 >"},
          {"&hellip &lang;&rang; &Alpha &Auml", "&hellip \u27E8\u27E9 &Alpha \u00C4"},
          {"a&#32;&#9;&NewLine;&#xA;&Tab;b", "a b"},
          {"&nbsp &nbspx", "\u00A0 \u00A0x"},
          {"caf\u00E9 <i>\u65E5\u672C</i>", "caf\u00E9 \u65E5\u672C"}}) {
        INFO(c.html);
        CHECK(html_text(c.html) == c.text);
    }
}

TEST_CASE("no HTML takes more than linear time, or becomes more than a fifth longer") {
    for (const char* piece :
         {"<", "<a", "<a ", "<a b='", "&", "&#", "&#0", "&nGt;", "&notin", "<!--", "<script>", "</", "<style>x</"}) {
        std::string html;
        while (html.size() < 2'000'000) html += piece;
        CHECK(html_text(html).size() <= html.size() + html.size() / 5);
    }
}
