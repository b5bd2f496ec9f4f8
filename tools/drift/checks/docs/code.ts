import { relative } from 'node:path';
import ts from 'typescript';
import { cached } from '../../cached.ts';
import type { Finding } from '../../check.ts';
import type { Project } from '../../project.ts';
import { type Block, finding } from './pages.ts';

/** The TypeScript of the pages that does not compile where the packages can be imported. */
export function typeErrors(project: Project, blocks: Block[]): Finding[] {
  // The compiler writes all paths with slashes.
  const folder = `${project.root.replaceAll('\\', '/').replace(/\/$/, '')}/tools/.docs`;
  const shown = blocks.filter(({ language }) => language === 'ts');
  const files = shown.map((block, i) => ({ file: `${folder}/${i}.ts`, ...block }));
  const texts = new Map(files.map(({ file, text }) => [file, text]));
  const diagnostics = diagnosticsOf(project, folder, texts);
  return files.flatMap(({ file, page }, i) =>
    diagnostics
      .filter((diagnostic) => diagnostic.file?.fileName === file)
      .map(({ file: source, start = 0, messageText }) => {
        const line = (source?.getLineAndCharacterOfPosition(start).line ?? 0) + 1;
        const message = ts.flattenDiagnosticMessageText(messageText, ' ');
        return finding(`${page}: line ${line} of its code block ${i + 1}`, message, 'code that is shown compiles');
      }),
  );
}

interface Compilation {
  program: ts.Program;
  diagnostics: readonly ts.Diagnostic[];
}

/** The next compilation reuses what has not changed since. */
let last: Compilation | undefined;
const parsed = new Map<string, ts.SourceFile>();

function diagnosticsOf(project: Project, folder: string, texts: Map<string, string>): readonly ts.Diagnostic[] {
  const options = optionsFrom(project.read('tsconfig.base.json'));
  const program = ts.createProgram({
    rootNames: [...texts.keys()],
    options,
    host: hostOf(project, folder, texts, options),
    ...(last && { oldProgram: last.program }),
  });
  const before = new Set(last?.program.getSourceFiles());
  const sources = program.getSourceFiles();
  if (!last || sources.length !== before.size || sources.some((source) => !before.has(source))) {
    const own = sources.filter(({ fileName }) => texts.has(fileName));
    const diagnostics = own.flatMap((source) => [
      ...program.getSyntacticDiagnostics(source),
      ...program.getSemanticDiagnostics(source),
    ]);
    last = { program, diagnostics };
  }
  return last.diagnostics;
}

const optionsFrom = cached((config) => {
  const { config: base } = ts.parseConfigFileTextToJson('tsconfig.base.json', config);
  const more = { lib: ['es2024', 'dom', 'dom.iterable'], noUnusedLocals: false, noUnusedParameters: false };
  return ts.convertCompilerOptionsFromJson({ ...base.compilerOptions, ...more }, '/').options;
});

/** Files of the repository are read through the project, those of npm from the disk. */
function hostOf(
  project: Project,
  folder: string,
  texts: Map<string, string>,
  options: ts.CompilerOptions,
): ts.CompilerHost {
  const host = ts.createCompilerHost(options);
  const pathOf = (file: string) => {
    const path = relative(project.root, file).replaceAll('\\', '/');
    return path.startsWith('..') || path.includes('node_modules') ? undefined : path;
  };
  const fileExists = (file: string) => {
    const path = pathOf(file);
    return texts.has(file) || (path === undefined ? ts.sys.fileExists(file) : project.exists(path));
  };
  const readFile = (file: string) => {
    const path = pathOf(file);
    if (path === undefined) return ts.sys.readFile(file);
    return texts.get(file) ?? (project.exists(path) ? project.read(path) : undefined);
  };
  const getSourceFile: ts.CompilerHost['getSourceFile'] = (file, languageVersion) => {
    const text = readFile(file);
    const known = parsed.get(file);
    if (text === undefined) return undefined;
    if (known?.text === text) return known;
    const source = ts.createSourceFile(file, text, languageVersion);
    parsed.set(file, source);
    return source;
  };
  return { ...host, fileExists, readFile, getSourceFile, getCurrentDirectory: () => folder };
}
