import { hash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';
import { cached } from '../../cached.ts';
import { editFinding, type Finding } from '../../check.ts';
import { type Project, sourcesIn } from '../../project.ts';

/** A fenced block of code on a page. */
export interface Block {
  page: string;
  language: string;
  text: string;
}

/** The TypeScript of the pages that does not compile where the packages can be imported. */
export function typeErrors(project: Project, blocks: readonly Block[]): Finding[] {
  const code = blocks.filter(({ language }) => language === 'ts');
  const input = hash('sha1', JSON.stringify([ts.version, code, ...inputsOf(project)]));
  // Compiling takes as long as all other checks together.
  const file = join(project.root, 'node_modules/.cache/drift/types.json');
  const stored = resultIn(file);
  if (stored?.input === input) return stored.findings;
  const findings = compile(project, code);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ input, findings }));
  return findings;
}

/** The texts that the types of the packages depend on. */
function inputsOf(project: Project): string[] {
  const packages = ['packages/types', 'packages/client'];
  return [
    ...packages.flatMap((folder) => [project.read(`${folder}/package.json`), ...sourcesIn(project, `${folder}/src`)]),
    project.read('tsconfig.base.json'),
    // The installed packages are no part of the project.
    readFileSync(join(project.root, 'pnpm-lock.yaml'), 'utf8'),
  ];
}

function resultIn(file: string): { input: string; findings: Finding[] } | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    // There is none yet, or another process is writing it: the code is compiled again.
    return undefined;
  }
}

function compile(project: Project, blocks: readonly Block[]): Finding[] {
  const modules = blocks.map((block, i) => ({ file: `${folderIn(project.root)}/${i}.ts`, ...block }));
  const service = serviceIn(project.root)(project, new Map(modules.map(({ file, text }) => [file, text])));
  return modules.flatMap(({ file, page }, i) =>
    [...service.getSyntacticDiagnostics(file), ...service.getSemanticDiagnostics(file)].map(
      ({ file: source, start = 0, messageText }) => {
        const line = (source?.getLineAndCharacterOfPosition(start).line ?? 0) + 1;
        const message = ts.flattenDiagnosticMessageText(messageText, ' ');
        return editFinding(`${page}: line ${line} of its code block ${i + 1}`, message, 'code that is shown compiles');
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
  const fileExists = (file: string) => {
    const path = relative(root, file).replaceAll('\\', '/');
    return isOfRepository(path) ? modules.has(file) || project.exists(path) : ts.sys.fileExists(file);
  };
  const service = ts.createLanguageService({
    readFile,
    fileExists,
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
