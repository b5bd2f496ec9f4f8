import { relative } from 'node:path';
import ts from 'typescript';
import { root } from '../../../repository.ts';
import { cached } from '../../cached.ts';
import { editFinding, type Finding } from '../../check.ts';
import type { Project } from '../../project.ts';
import type { Block } from './pages.ts';

/** The folder, only in memory, of the code of the pages. Packages can be imported from it. The compiler writes paths with slashes. */
const FOLDER = `${root.replaceAll('\\', '/').replace(/\/$/, '')}/tools/.docs`;

/** The TypeScript of the pages that does not compile. */
export function typeErrors(project: Project, blocks: readonly Block[]): Finding[] {
  const code = blocks.filter(({ language }) => language === 'ts');
  const modules = code.map((block, i) => ({ file: `${FOLDER}/${i}.ts`, ...block }));
  compiled = { project, modules: new Map(modules.map(({ file, text }) => [file, text])) };
  return modules.flatMap(({ file, page, line }) =>
    [...service.getSyntacticDiagnostics(file), ...service.getSemanticDiagnostics(file)].map(
      ({ file: source, start = 0, messageText }) => {
        const inText = (source?.getLineAndCharacterOfPosition(start).line ?? 0) + 1;
        const message = ts.flattenDiagnosticMessageText(messageText, ' ');
        return editFinding(`${page}:${line + inText}`, message, 'code that is shown compiles');
      },
    ),
  );
}

/** The code that the compiler reads, and the project for the other files of the repository. */
let compiled: { project: Project; modules: ReadonlyMap<string, string> };

function readFile(file: string): string | undefined {
  const path = relative(root, file).replaceAll('\\', '/');
  if (path.startsWith('..') || path.includes('node_modules')) return ts.sys.readFile(file);
  const { project, modules } = compiled;
  return modules.get(file) ?? (project.exists(path) ? project.read(path) : undefined);
}

/** One compiler for all projects: it compiles again only what has changed since the last time. */
const service = ts.createLanguageService({
  readFile,
  fileExists: (file) => readFile(file) !== undefined,
  getCompilationSettings: () => optionsFrom(compiled.project.read('tsconfig.base.json')),
  getScriptFileNames: () => [...compiled.modules.keys()],
  // The text is the version. Installed packages do not change.
  getScriptVersion: (file) => (file.includes('node_modules') ? '' : (readFile(file) ?? '')),
  getScriptSnapshot: (file) => {
    const text = readFile(file);
    return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
  },
  // The packages are linked in node_modules.
  realpath: (path) => ts.sys.realpath?.(path) ?? path,
  getCurrentDirectory: () => FOLDER,
  getDefaultLibFileName: ts.getDefaultLibFilePath,
});

const optionsFrom = cached((config: string) => {
  const { config: base } = ts.parseConfigFileTextToJson('tsconfig.base.json', config);
  const more = { lib: ['es2024', 'dom', 'dom.iterable'], noUnusedLocals: false, noUnusedParameters: false };
  return ts.convertCompilerOptionsFromJson({ ...base.compilerOptions, ...more }, '/').options;
});
