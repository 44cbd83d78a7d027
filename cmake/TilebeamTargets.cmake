# How every target of the project is compiled, and two short ways to define one.

# Flags for the project's own sources only; linked as $<BUILD_INTERFACE:...>, so never exported.
add_library(tilebeam_options INTERFACE)
target_compile_options(tilebeam_options INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wsign-conversion
  # Costs come out the same to the last bit whether or not the machine has fused multiply-add.
  -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 sees overlapping copies in any inlined "literal" + std::string (GCC bug 105651).
  target_compile_options(tilebeam_options INTERFACE -Wno-restrict)
endif()
if(TILEBEAM_DEVELOPER_MODE)
  target_compile_options(tilebeam_options INTERFACE -Werror)
endif()
if(TILEBEAM_SANITIZE)
  set(sanitizer_flags -fsanitize=${TILEBEAM_SANITIZE} -fno-omit-frame-pointer)
  if(TILEBEAM_SANITIZE MATCHES "undefined")
    # oneTBB's headers do not pass these checks: vptr with any compiler, alignment with clang++.
    list(APPEND sanitizer_flags -fno-sanitize-recover=undefined -fno-sanitize=vptr
      $<$<CXX_COMPILER_ID:Clang>:-fno-sanitize=alignment>)
  endif()
  target_compile_options(tilebeam_options INTERFACE ${sanitizer_flags})
  target_compile_definitions(tilebeam_options INTERFACE TILEBEAM_SANITIZED)
  target_link_options(tilebeam_options INTERFACE ${sanitizer_flags})
endif()

# For targets that take long to compile and compute little: with sanitizers, not optimised and
# without the checks for undefined behaviour, which would treble the time.
add_library(tilebeam_quick_build INTERFACE)
if(TILEBEAM_SANITIZE)
  target_compile_options(tilebeam_quick_build INTERFACE -O0)
  if(TILEBEAM_SANITIZE MATCHES "undefined")
    target_compile_options(tilebeam_quick_build INTERFACE -fno-sanitize=undefined)
  endif()
endif()

function(tilebeam_set_defaults target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  # Sources name private headers from the root of the tree: "engine/step_cache.h".
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:tilebeam_options>)
endfunction()

# A static library tilebeam_<name>, alias tilebeam::<name>.
function(tilebeam_add_library name)
  set(target tilebeam_${name})
  add_library(${target} STATIC ${ARGN})
  add_library(tilebeam::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  tilebeam_set_defaults(${target})
  if(IS_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/include)
    target_include_directories(${target} PUBLIC
      $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
      $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  endif()
endfunction()

# Links the libraries that most tests need: not the command line's and the importer's, which take
# longest to compile.
function(tilebeam_link_libraries target)
  foreach(name IN ITEMS generator engine simulator)
    if(TARGET tilebeam_${name})
      target_link_libraries(${target} PRIVATE tilebeam_${name})
    endif()
  endforeach()
endfunction()
