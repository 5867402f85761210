# cmake -D INPUT=sluice.yaml -D OUTPUT=default_yaml.cpp -P embed.cmake: embeds the file as a C++ string.
# A raw string literal is limited to 65,535 characters; the file is far smaller.
file(READ ${INPUT} text)
file(WRITE ${OUTPUT}
     "#include \"config/load.hpp\"\n\nnamespace sluice::config {\n\nstd::string_view default_yaml() {\n"
     "    return R\"yaml(${text})yaml\";\n}\n\n}  // namespace sluice::config\n")
