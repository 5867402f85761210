// Boost.Asio's implementation, compiled once for the whole project.
#include <boost/asio/impl/src.hpp>
