// Which computations for one source of texts (an event, or values that events share) fit into its budget. Where they
// don't all fit, half of the budget belongs to their owners in equal shares: an owner whose computations cost less than
// its share gets them all, whatever others ask. What is left goes to the cheapest computations. Deterministic. Scratch
// of one thread; what it knows of owners is that of one family in one batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

namespace sluice::cpu {

class FairShares {
public:
    struct Computation {
        double ns = 0;
        std::size_t first = 0, end = 0;  // its drafts
        bool kept = false;
    };
    // Sets `owners` to those of a slot.
    using OwnersOf = std::function<void(std::uint32_t slot, std::vector<std::uint64_t>& owners)>;

    // Forgets the owners of `slots` slots.
    void begin(std::size_t slots);

    // Sets `kept` of computations that together take at most `ns_max`. They are in order of their costs; slot_of(i) is
    // the slot of draft i. An owner is charged in full for each of its computations. Without `owners_of`, the cheapest
    // are kept. Returns what those that are kept cost.
    template <class SlotOf>
    double keep(std::span<Computation> ascending, double ns_max, const OwnersOf& owners_of, SlotOf slot_of) {
        double ns = 0;
        if (owners_of) {
            find_owners(ascending, owners_of, slot_of);
            const double share = ns_max / 2 / static_cast<double>(concerned_);
            for (std::uint32_t c = 0; c < ascending.size(); ++c) {
                for_each_owner(c, ascending[c], slot_of, [&](Account& account) {
                    account.spent += ascending[c].ns;
                    ascending[c].kept |= account.spent <= share;
                });
                if (ascending[c].kept) ns += ascending[c].ns;
            }
        }
        for (Computation& c : ascending) {
            if (c.kept) continue;
            if (ns + c.ns > ns_max) break;
            c.kept = true;
            ns += c.ns;
        }
        return ns;
    }

private:
    static constexpr std::uint32_t never = 0xffffffffu;
    struct Account {
        double spent = 0;
        std::uint32_t charged = never;  // the last computation that it was visited for
    };
    struct Owners {  // of a slot: `count` of owners_ from `first` on
        std::uint32_t first = 0, count = never;
    };

    // Calls visit(account) once for each owner of the computation.
    template <class SlotOf, class Visit>
    void for_each_owner(std::uint32_t c, const Computation& computation, SlotOf slot_of, Visit visit) {
        for (std::size_t i = computation.first; i < computation.end; ++i) {
            const Owners& of_slot = of_slot_[slot_of(i)];
            for (std::uint32_t o = of_slot.first; o < of_slot.first + of_slot.count; ++o) {
                Account& account = accounts_[owners_[o]];
                if (account.charged == c) continue;
                account.charged = c;
                visit(account);
            }
        }
    }
    template <class SlotOf>
    void find_owners(std::span<const Computation> computations, const OwnersOf& owners_of, SlotOf slot_of) {
        for (const Computation& computation : computations)
            for (std::size_t i = computation.first; i < computation.end; ++i) find(slot_of(i), owners_of);
        accounts_.assign(index_.size(), {});
        concerned_ = 0;
        for (std::uint32_t c = 0; c < computations.size(); ++c)
            for_each_owner(c, computations[c], slot_of, [&](const Account&) {});
        for (Account& account : accounts_) {
            concerned_ += account.charged != never ? 1u : 0u;
            account.charged = never;
        }
    }
    void find(std::uint32_t slot, const OwnersOf& owners_of);

    std::vector<Owners> of_slot_;
    std::vector<std::uint32_t> owners_;                       // indexes of accounts
    std::unordered_map<std::uint64_t, std::uint32_t> index_;  // of an owner's account
    std::vector<Account> accounts_;                           // for one source
    std::size_t concerned_ = 0;                               // accounts with a computation of the source
    std::vector<std::uint64_t> found_;
};

}  // namespace sluice::cpu
