# cmake -D INPUT=sluice.yaml -D OUTPUT=default_yaml.cpp -P embed.cmake: the file as a C++ string.
# A raw string literal has an upper bound of 65,535 characters; the file is far below.
file(READ ${INPUT} text)
file(WRITE ${OUTPUT}
     "#include \"config/load.hpp\"\n\nnamespace sluice {\n\nstd::string_view default_yaml() {\n"
     "    return R\"yaml(${text})yaml\";\n}\n\n}  // namespace sluice\n")
