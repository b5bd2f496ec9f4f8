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
  readonly shown: string;
  readonly files: readonly (readonly [file: string, hash: string | null])[];
  readonly findings: Finding[];
}

/** The results of this process, that of one before first: to compile takes longer than all other checks. */
const results: Result[] = [];
const cacheFile = 'node_modules/.cache/drift/types.json';

/** The TypeScript of the pages that does not compile where the packages can be imported. */
export function typeErrors(project: Project, blocks: Block[]): Finding[] {
  const blocksOfCode = blocks.filter(({ language }) => language === 'ts');
  const shown = JSON.stringify([ts.version, blocksOfCode]);
  if (results.length === 0) results.push(...resultOnDisk(project.root));
  const isCurrent = (one: Result) =>
    one.shown === shown && one.files.every(([file, hash]) => hashOf(project, file) === hash);
  const known = results.find(isCurrent);
  if (known) return known.findings;
  const seen = new Set<string>();
  const findings = compile(project, blocksOfCode, seen);
  const made = { shown, files: [...seen].map((file) => [file, hashOf(project, file)] as const), findings };
  // The first is that of the repository as it is; edits of it come after.
  if (results.length < 2) writeToDisk(project.root, made);
  results.push(made);
  return findings;
}

function resultOnDisk(root: string): Result[] {
  try {
    return [JSON.parse(readFileSync(join(root, cacheFile), 'utf8'))];
  } catch {
    // There is none yet, or it was cut off: then it is made again.
    return [];
  }
}

function writeToDisk(root: string, made: Result): void {
  const file = join(root, cacheFile);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.${process.pid}`, JSON.stringify(made));
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

function compile(project: Project, shown: Block[], seen: Set<string>): Finding[] {
  // The compiler writes all paths with slashes.
  const folder = `${project.root.replaceAll('\\', '/').replace(/\/$/, '')}/tools/.docs`;
  const files = shown.map((block, i) => ({ file: `${folder}/${i}.ts`, ...block }));
  const texts = new Map(files.map(({ file, text }) => [file, text]));
  const diagnostics = diagnosticsOf(project, folder, texts, seen);
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

function diagnosticsOf(
  project: Project,
  folder: string,
  texts: Map<string, string>,
  seen: Set<string>,
): readonly ts.Diagnostic[] {
  const options = optionsFrom(project.read('tsconfig.base.json'));
  const program = ts.createProgram({
    rootNames: [...texts.keys()],
    options,
    host: hostOf(project, folder, texts, options, seen),
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

const optionsFrom = cached((config: string) => {
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
  seen: Set<string>,
): ts.CompilerHost {
  const host = ts.createCompilerHost(options);
  const pathOf = (file: string) => {
    if (!texts.has(file)) seen.add(file);
    return pathIn(project, file);
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
