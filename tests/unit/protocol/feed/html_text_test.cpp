#include "protocol/feed/html_text.hpp"

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
          {"&#0;&#xD800;&#x110000;&#99999999;&#;&#x;&;&", "&#0;&#xD800;&#x110000;&#99999999;&#;&#x;&;&"},
          {"&unknown; AT&T; &amp", "&unknown; AT&T; &amp"},
          {"caf\u00E9 <i>\u65E5\u672C</i>", "caf\u00E9 \u65E5\u672C"}}) {
        INFO(c.html);
        CHECK(html_text(c.html) == c.text);
    }
}

TEST_CASE("no HTML takes more than linear time, or becomes longer") {
    for (const char* piece : {"<", "<a", "<a ", "<a b='", "&", "&#", "<!--", "<script>", "</", "<style>x</"}) {
        std::string html;
        while (html.size() < 2'000'000) html += piece;
        CHECK(html_text(html).size() <= html.size());
    }
}
