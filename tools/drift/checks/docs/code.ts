import { hash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';
import { cached } from '../../cached.ts';
import type { Finding } from '../../check.ts';
import type { Project } from '../../project.ts';
import { type Block, finding } from './pages.ts';

/** The result of a compilation, and all that it depends on: each file that was read or looked for, by the hash of its text. */
interface Result {
  /** The compiler and the code that it compiled. */
  readonly input: string;
  readonly files: readonly (readonly [file: string, hash: string | null])[];
  readonly findings: Finding[];
}

/** The results of this process, behind the stored one. Compiling takes longer than all other checks. */
const results: Result[] = [];
const cacheFile = 'node_modules/.cache/drift/types.json';

/** The TypeScript of the pages that does not compile where the packages can be imported. */
export function typeErrors(project: Project, blocks: Block[]): Finding[] {
  const blocksOfCode = blocks.filter(({ language }) => language === 'ts');
  const input = JSON.stringify([ts.version, blocksOfCode]);
  if (results.length === 0) results.push(...resultOnDisk(project.root));
  const isCurrent = (one: Result) =>
    one.input === input && one.files.every(([file, hash]) => hashOf(project, file) === hash);
  const known = results.find(isCurrent);
  if (known) return known.findings;
  const files = new Set<string>();
  const findings = compile(project, blocksOfCode, files);
  const result = { input, files: [...files].map((file) => [file, hashOf(project, file)] as const), findings };
  // Only the first result is stored: the others are of edited projects.
  if (results.length < 2) writeToDisk(project.root, result);
  results.push(result);
  return findings;
}

function resultOnDisk(root: string): Result[] {
  try {
    return [JSON.parse(readFileSync(join(root, cacheFile), 'utf8'))];
  } catch {
    // There is none yet, or it is incomplete: the code is compiled again.
    return [];
  }
}

function writeToDisk(root: string, result: Result): void {
  const file = join(root, cacheFile);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.${process.pid}`, JSON.stringify(result));
  renameSync(`${file}.${process.pid}`, file);
}

const hashOfText = cached((text: string) => hash('sha1', text));
const hashOnDisk = cached((file: string) => {
  const text = ts.sys.fileExists(file) ? ts.sys.readFile(file) : undefined;
  return text === undefined ? null : hash('sha1', text);
});

const isFolder = cached((path: string) => ts.sys.directoryExists(path));

function hashOf(project: Project, file: string): string | null {
  const path = pathIn(project, file);
  if (path === undefined) return hashOnDisk(file);
  return project.exists(path) && !isFolder(file) ? hashOfText(project.read(path)) : null;
}

/** The path of a file of the repository; nothing for those of npm. */
function pathIn({ root }: Project, file: string): string | undefined {
  const path = relative(root, file).replaceAll('\\', '/');
  return path.startsWith('..') || path.includes('node_modules') ? undefined : path;
}

/** The input of the compiler: a project, and modules that are not in it. */
interface Sources {
  readonly project: Project;
  readonly modules: ReadonlyMap<string, string>;
  /** Collects each file that is read or looked for. */
  readonly files: Set<string>;
}

function compile(project: Project, blocks: readonly Block[], files: Set<string>): Finding[] {
  const folder = folderIn(project.root);
  const modules = blocks.map((block, i) => ({ file: `${folder}/${i}.ts`, ...block }));
  const texts = new Map(modules.map(({ file, text }) => [file, text]));
  const service = serviceIn(project.root)({ project, modules: texts, files });
  return modules.flatMap(({ file, page }, i) =>
    [...service.getSyntacticDiagnostics(file), ...service.getSemanticDiagnostics(file)].map(
      ({ file: source, start = 0, messageText }) => {
        const line = (source?.getLineAndCharacterOfPosition(start).line ?? 0) + 1;
        const message = ts.flattenDiagnosticMessageText(messageText, ' ');
        return finding(`${page}: line ${line} of its code block ${i + 1}`, message, 'code that is shown compiles');
      },
    ),
  );
}

/** A folder in which the packages can be imported. The compiler writes all paths with slashes. */
const folderIn = (root: string) => `${root.replaceAll('\\', '/').replace(/\/$/, '')}/tools/.docs`;

/** The compiler of a checkout. It compiles again only what has changed since the last time. */
const serviceIn = cached((root: string) => {
  let sources: Sources | undefined;
  const current = () => {
    if (!sources) throw new Error('there is nothing to compile');
    return sources;
  };
  const note = (file: string) => {
    if (!current().modules.has(file)) current().files.add(file);
    return pathIn(current().project, file);
  };
  // Files of the repository are read through the project, those of npm from the disk.
  const fileExists = (file: string) => {
    const { project, modules } = current();
    const path = note(file);
    return modules.has(file) || (path === undefined ? ts.sys.fileExists(file) : project.exists(path));
  };
  const readFile = (file: string) => {
    const { project, modules } = current();
    const path = note(file);
    if (path === undefined) return ts.sys.readFile(file);
    return modules.get(file) ?? (project.exists(path) ? project.read(path) : undefined);
  };
  const service = ts.createLanguageService({
    readFile,
    fileExists,
    getCompilationSettings: () => optionsFrom(current().project.read('tsconfig.base.json')),
    getScriptFileNames: () => [...current().modules.keys()],
    getScriptVersion: (file) => {
      note(file);
      return current().modules.get(file) ?? hashOf(current().project, file) ?? '';
    },
    getScriptSnapshot: (file) => {
      const text = readFile(file);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => folderIn(root),
    getDefaultLibFileName: ts.getDefaultLibFilePath,
  });
  return (next: Sources) => {
    sources = next;
    return service;
  };
});

const optionsFrom = cached((config: string) => {
  const { config: base } = ts.parseConfigFileTextToJson('tsconfig.base.json', config);
  const more = { lib: ['es2024', 'dom', 'dom.iterable'], noUnusedLocals: false, noUnusedParameters: false };
  return ts.convertCompilerOptionsFromJson({ ...base.compilerOptions, ...more }, '/').options;
});
