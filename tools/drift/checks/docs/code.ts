import { relative } from 'node:path';
import ts from 'typescript';
import { cached } from '../../cached.ts';
import { editFinding, type Finding } from '../../check.ts';
import type { Project } from '../../project.ts';

/** A fenced block of code on a page. */
export interface Block {
  page: string;
  /** The line of the page above the text. */
  line: number;
  language: string;
  text: string;
}

/** The TypeScript of the pages that does not compile where the packages can be imported. */
export function typeErrors(project: Project, blocks: readonly Block[]): Finding[] {
  const code = blocks.filter(({ language }) => language === 'ts');
  const modules = code.map((block, i) => ({ file: `${folderIn(project.root)}/${i}.ts`, ...block }));
  const service = serviceIn(project.root)(project, new Map(modules.map(({ file, text }) => [file, text])));
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

/** A folder in which the packages can be imported. The compiler writes all paths with slashes. */
const folderIn = (root: string) => `${root.replaceAll('\\', '/').replace(/\/$/, '')}/tools/.docs`;

/** The compiler of a checkout. It compiles again only what has changed since the last time. */
const serviceIn = cached((root: string) => {
  let project: Project;
  let modules: ReadonlyMap<string, string>;
  // Files of the repository are read through the project, those of npm from the disk.
  const isOfRepository = (path: string) => !path.startsWith('..') && !path.includes('node_modules');
  const readFile = (file: string) => {
    const path = relative(root, file).replaceAll('\\', '/');
    if (!isOfRepository(path)) return ts.sys.readFile(file);
    return modules.get(file) ?? (project.exists(path) ? project.read(path) : undefined);
  };
  const service = ts.createLanguageService({
    readFile,
    fileExists: (file) => readFile(file) !== undefined,
    getCompilationSettings: () => optionsFrom(project.read('tsconfig.base.json')),
    getScriptFileNames: () => [...modules.keys()],
    // The text is the version. What npm installed does not change.
    getScriptVersion: (file) => (file.includes('node_modules') ? '' : (readFile(file) ?? '')),
    getScriptSnapshot: (file) => {
      const text = readFile(file);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    // The packages are linked in node_modules.
    realpath: (path) => ts.sys.realpath?.(path) ?? path,
    getCurrentDirectory: () => folderIn(root),
    getDefaultLibFileName: ts.getDefaultLibFilePath,
  });
  return (nextProject: Project, nextModules: ReadonlyMap<string, string>) => {
    [project, modules] = [nextProject, nextModules];
    return service;
  };
});

const optionsFrom = cached((config: string) => {
  const { config: base } = ts.parseConfigFileTextToJson('tsconfig.base.json', config);
  const more = { lib: ['es2024', 'dom', 'dom.iterable'], noUnusedLocals: false, noUnusedParameters: false };
  return ts.convertCompilerOptionsFromJson({ ...base.compilerOptions, ...more }, '/').options;
});
