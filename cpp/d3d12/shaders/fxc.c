// A Windows program, run under wine, that compiles a list of shaders with d3dcompiler_47.dll.
//
//     fxc.exe JOBS        each line of JOBS: source|DEFINE=value,DEFINE=value|output
//
// Writes stripped DXBC for the profile cs_5_1. Warnings are errors.

#define WIN32_LEAN_AND_MEAN
#define COBJMACROS
#include <d3dcompiler.h>
#include <stdio.h>
#include <string.h>
#include <windows.h>

enum { kMaxDefines = 15, kLine = 1024 };

static pD3DCompile compile;
static HRESULT(WINAPI *strip)(const void *, SIZE_T, UINT, ID3DBlob **);
static HRESULT(WINAPI *read_file)(const WCHAR *, ID3DBlob **);

static int run(const char *source, char *defines, const char *output) {
    D3D_SHADER_MACRO macros[kMaxDefines + 1];
    memset(macros, 0, sizeof macros);
    int count = 0;
    for (char *text = strtok(defines, ","); text != NULL; text = strtok(NULL, ",")) {
        char *equals = strchr(text, '=');
        if (equals == NULL || count == kMaxDefines) return 1;
        *equals = 0;
        macros[count].Name = text;
        macros[count++].Definition = equals + 1;
    }
    WCHAR path[kLine];
    MultiByteToWideChar(CP_UTF8, 0, source, -1, path, kLine);
    ID3DBlob *text = NULL, *code = NULL, *errors = NULL, *stripped = NULL;
    HRESULT result = read_file(path, &text);
    if (SUCCEEDED(result)) {
        result = compile(ID3D10Blob_GetBufferPointer(text), ID3D10Blob_GetBufferSize(text), source,
                         macros, D3D_COMPILE_STANDARD_FILE_INCLUDE, "main", "cs_5_1",
                         D3DCOMPILE_OPTIMIZATION_LEVEL3 | D3DCOMPILE_WARNINGS_ARE_ERRORS, 0, &code,
                         &errors);
    }
    if (errors != NULL) fputs(ID3D10Blob_GetBufferPointer(errors), stderr);
    if (SUCCEEDED(result)) {
        result = strip(ID3D10Blob_GetBufferPointer(code), ID3D10Blob_GetBufferSize(code),
                       D3DCOMPILER_STRIP_REFLECTION_DATA | D3DCOMPILER_STRIP_DEBUG_INFO |
                           D3DCOMPILER_STRIP_TEST_BLOBS | D3DCOMPILER_STRIP_PRIVATE_DATA,
                       &stripped);
    }
    FILE *file = SUCCEEDED(result) ? fopen(output, "wb") : NULL;
    if (file == NULL) {
        fprintf(stderr, "%s -> %s: failed (%08lx)\n", source, output, (unsigned long)result);
        return 1;
    }
    fwrite(ID3D10Blob_GetBufferPointer(stripped), 1, ID3D10Blob_GetBufferSize(stripped), file);
    return fclose(file);
}

int main(int argc, char **argv) {
    HMODULE compiler = LoadLibraryA("d3dcompiler_47.dll");
    FILE *jobs = argc == 2 ? fopen(argv[1], "r") : NULL;
    if (compiler == NULL || jobs == NULL) {
        fprintf(stderr, "usage: fxc.exe JOBS, with d3dcompiler_47.dll beside it\n");
        return 2;
    }
    compile = (pD3DCompile)(void *)GetProcAddress(compiler, "D3DCompile");
    strip = (void *)GetProcAddress(compiler, "D3DStripShader");
    read_file = (void *)GetProcAddress(compiler, "D3DReadFileToBlob");
    char line[kLine];
    int failures = 0;
    while (fgets(line, sizeof line, jobs) != NULL) {
        line[strcspn(line, "\r\n")] = 0;
        char *defines = strchr(line, '|');
        char *output = defines == NULL ? NULL : strchr(defines + 1, '|');
        if (output == NULL) return 2;
        *defines++ = 0;
        *output++ = 0;
        failures += run(line, defines, output) != 0;
    }
    fclose(jobs);
    return failures != 0;
}
