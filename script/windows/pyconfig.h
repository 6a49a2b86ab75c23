/* What CPython's headers have to know of 64-bit Windows, for an extension that MinGW compiles against
   those of a Linux installation. */
#pragma once

#define MS_WINDOWS
#define MS_WIN32
#define MS_WIN64
#define NT_THREADS
#define Py_ENABLE_SHARED  /* with the next: data comes from the DLL */
#define HAVE_DECLSPEC_DLL

#define SIZEOF_SHORT 2
#define SIZEOF_INT 4
#define SIZEOF_LONG 4
#define SIZEOF_LONG_LONG 8
#define SIZEOF_SIZE_T 8
#define SIZEOF_VOID_P 8
#define SIZEOF_PID_T 4
#define SIZEOF_TIME_T 8
#define SIZEOF_WCHAR_T 2

#define HAVE_STDDEF_H 1
#define HAVE_SYS_STAT_H 1
#define HAVE_SYS_TYPES_H 1
