# cmake -D INPUT=sluice.yaml -D OUTPUT=default_yaml.cpp -D HEADER=config/load.hpp -D NAMESPACE=sluice::config
# -D FUNCTION=default_yaml -P embed.cmake: embeds the file as the string that this function of the header returns.
# A raw string literal is limited to 65,535 characters; the files are far smaller.
file(READ ${INPUT} text)
file(WRITE ${OUTPUT}
     "#include \"${HEADER}\"\n\nnamespace ${NAMESPACE} {\n\nstd::string_view ${FUNCTION}() {\n"
     "    return R\"text(${text})text\";\n}\n\n}  // namespace ${NAMESPACE}\n")
