// Boost.Beast's implementation, compiled once for the whole project.
#include <boost/beast/src.hpp>
