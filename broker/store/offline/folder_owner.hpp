// Keeps a store its owner's when root works on it with the tools, since the broker seldom runs as root. One thread.
#pragma once

#include <string>
#include <sys/types.h>

namespace sluice::store {

struct FolderOwner {
    uid_t user = 0;
    gid_t group = 0;
};

// Of the folder, or if there is none, of the nearest one above. Throws std::runtime_error.
FolderOwner owner_of_folder(const std::string& path);

// Gives the folder and what is in it to the owner, as far as root has made it: files that have other names, too, or
// belong to others, stay as they are. Does nothing unless this process is root's. Throws std::runtime_error.
void give_folder(const std::string& path, const FolderOwner& owner);

}  // namespace sluice::store
