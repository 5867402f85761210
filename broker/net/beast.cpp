// Boost.Beast's own code, compiled once for the whole project.
#include <boost/beast/src.hpp>
