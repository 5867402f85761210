// Which vocabulary's names have no prefix in the tree. Pure function; any thread.
#pragma once

#include <optional>
#include <string_view>

#include "protocol/feed/model/namespaces.hpp"
#include "protocol/feed/xml/xml_names.hpp"

namespace sluice::feed {

// The vocabulary of the feed that begins with this start tag, Atom's or RSS's; empty: no feed begins there. `own` is
// the namespace of the element's name, `unprefixed` that of names without a prefix inside it; null: another one or
// none.
std::optional<KnownNamespace::Vocabulary> plain_vocabulary(const QName& name, bool is_root, const KnownNamespace* own,
                                                           const KnownNamespace* unprefixed);

}  // namespace sluice::feed
