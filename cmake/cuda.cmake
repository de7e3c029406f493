# The kernels for NVIDIA GPUs (src/**/*.cu), compiled by nvcc from its usual places. With GLGNN_CUDA they are part of the
# library; without it, developers that have nvcc see that they compile, and nothing is linked.
file(GLOB_RECURSE GLGNN_CUDA_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.cu)
find_program(GLGNN_NVCC nvcc HINTS ENV CUDA_HOME ENV CUDA_PATH PATHS /usr/local/cuda /opt/cuda PATH_SUFFIXES bin)
if(GLGNN_CUDA AND NOT GLGNN_NVCC)
  message(FATAL_ERROR "GLGNN_CUDA: found no nvcc on the PATH, in /usr/local/cuda or in /opt/cuda. Install CUDA 13, or set "
                      "CUDA_HOME to the folder that has bin/nvcc.")
endif()

# 90a has the matrix instructions of the H100 and H200; 80 is for the A100 and, made of its PTX when the program starts, for
# all later ones.
set(GLGNN_CUDA_ARCHITECTURES "80;90a" CACHE STRING "compute capabilities that the kernels are compiled for")
function(glgnn_cuda_flags FLAGS)
  foreach(architecture ${ARGN})
    if(architecture STREQUAL "90a")
      list(APPEND flags -gencode=arch=compute_90a,code=sm_90a)
    else()
      list(APPEND flags "-gencode=arch=compute_${architecture},code=[sm_${architecture},compute_${architecture}]")
    endif()
  endforeach()
  set(${FLAGS} ${flags} PARENT_SCOPE)
endfunction()

# OBJECTS: one object file for each source. ARCHITECTURES: a list in one argument. 554: a conversion of our views that is
# never called.
function(glgnn_compile_cuda OBJECTS ARCHITECTURES)
  glgnn_cuda_flags(architectures ${ARCHITECTURES})
  foreach(source ${ARGN})
    file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR} ${source})
    set(object ${PROJECT_BINARY_DIR}/cuda/${OBJECTS}/${name}.o)
    get_filename_component(folder ${object} DIRECTORY)
    file(MAKE_DIRECTORY ${folder})
    add_custom_command(
      OUTPUT ${object}
      COMMAND ${CCACHE} ${GLGNN_NVCC} -std=c++20 -O3 -DNDEBUG ${architectures} -diag-suppress 554
              -Xcompiler=-fPIC -I${PROJECT_SOURCE_DIR}/include -I${PROJECT_SOURCE_DIR}/src -MD -MF ${object}.d
              -c ${source} -o ${object}
      DEPENDS ${source} DEPFILE ${object}.d COMMENT "nvcc ${name}" VERBATIM)
    list(APPEND objects ${object})
  endforeach()
  set(${OBJECTS} ${objects} PARENT_SCOPE)
endfunction()

# After the library is there.
function(glgnn_add_cuda)
  if(GLGNN_CUDA)
    glgnn_compile_cuda(objects "${GLGNN_CUDA_ARCHITECTURES}" ${GLGNN_CUDA_SOURCES})
    target_sources(glgnn PRIVATE ${objects})
    set_source_files_properties(${objects} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
    get_filename_component(toolkit ${GLGNN_NVCC} REALPATH)
    get_filename_component(toolkit ${toolkit} DIRECTORY)
    find_library(GLGNN_CUDART cudart_static HINTS ${toolkit}/../lib64 ${toolkit}/../lib REQUIRED)
    target_link_libraries(glgnn PUBLIC ${GLGNN_CUDART} dl rt pthread)
  elseif(GLGNN_NVCC AND GLGNN_TESTS AND NOT GLGNN_SANITIZE)
    # For the older ones only what differs, to save time.
    set(differing ${GLGNN_CUDA_SOURCES})
    list(FILTER differing INCLUDE REGEX "/(choose|lse_backward)\\.cu$")
    glgnn_compile_cuda(objects 90a ${GLGNN_CUDA_SOURCES})
    glgnn_compile_cuda(older_objects 80 ${differing})
    add_custom_target(cuda_kernels ALL DEPENDS ${objects} ${older_objects})
  endif()
endfunction()
