// Runs the code of an edited project in this process. An edited module, and each one that imports it, is loaded from
// memory under an address of its own; everything else is shared with the unedited project.
import { type LoadHookSync, type ResolveHookSync, registerHooks, stripTypeScriptTypes } from 'node:module';
import { relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { cached } from './cached.ts';

/** The texts of a project's files; nothing where there is no file. */
export interface Sources {
  root: string;
  edits: Readonly<Record<string, string | undefined>>;
  read(file: string): string | undefined;
}

/** Loads a module by the name it is imported by, and calls `onRead` with every file that it is made of. */
export type LoadModule = <T>(specifier: string, onRead?: (file: string) => void) => Promise<T>;

interface EditedModules extends Sources {
  /** Whether a module is edited, or imports one that is. */
  isAffected(file: string): boolean;
}

/** The edited projects. The address of a module names its project by its place here. */
const projects: EditedModules[] = [];

/** A function that loads the modules of a project. */
export function moduleLoader(sources: Sources): LoadModule {
  const { root, edits } = sources;
  const imports = cached((file) =>
    /\.[cm]?[jt]s$/.test(file)
      ? specifiersIn(javaScriptOf(sources, file))
          .flatMap((specifier) => fileOf(root, resolve(specifier, pathToFileURL(`${root}/${file}`).href)) ?? [])
          .filter((imported) => sources.read(imported) !== undefined || imported in edits)
      : [],
  );
  const reachable = cached((entry) => {
    const found = new Set([entry]);
    for (const file of found) for (const imported of imports(file)) found.add(imported);
    return found;
  });
  const isAffected = cached((file) => [...reachable(file)].some((one) => one in edits));

  let number: number | undefined;
  return async (specifier, onRead) => {
    const url = resolve(specifier, import.meta.url);
    const entry = fileOf(root, url);
    if (entry === undefined) throw new Error(`${specifier} is no module of the repository`);
    if (onRead) reachable(entry).forEach(onRead);
    if (Object.keys(edits).length === 0 || !isAffected(entry)) return import(`${url}`);
    number ??= projects.push({ ...sources, isAffected }) - 1;
    return import(addressIn(number, `${url}`));
  };
}

/** What `readFileSync` of an edited project returns for an edited file. */
export function editedText(number: number, path: string | URL): string | undefined {
  const { root, edits } = projects[number] as EditedModules;
  return edits[pathBelow(root, path instanceof URL ? fileURLToPath(path) : path)];
}

const addressIn = (number: number, url: string) => `${url}?edited=${number}`;

function projectAt(url = ''): { number: number; project: EditedModules } | undefined {
  const number = Number(/\?edited=(\d+)$/.exec(url)?.[1]);
  const project = projects[number];
  return project && { number, project };
}

const resolveHook: ResolveHookSync = (specifier, context, nextResolve) => {
  const { project, number = 0 } = projectAt(context.parentURL) ?? {};
  if (!project || context.parentURL?.startsWith(fsAddress)) return nextResolve(specifier, context);
  if (specifier === 'node:fs') return { url: addressIn(number, fsAddress), format: 'module', shortCircuit: true };
  const url = resolve(specifier, context.parentURL);
  const file = fileOf(project.root, url);
  if (file === undefined || !project.isAffected(file)) return nextResolve(specifier, context);
  return { url: addressIn(number, `${url}`), shortCircuit: true };
};

const loadHook: LoadHookSync = (url, context, nextLoad) => {
  const { project, number = 0 } = projectAt(url) ?? {};
  if (!project) return nextLoad(url, context);
  if (url.startsWith(fsAddress)) return { format: 'module', source: fsSource(number), shortCircuit: true };
  const file = fileOf(project.root, url) ?? '';
  const format = file.endsWith('.json') ? 'json' : 'module';
  return { format, source: javaScriptOf(project, file), shortCircuit: true };
};

const fsAddress = 'edited:fs';

/** `node:fs` for an edited project. Its `readFileSync` reads edits first: the server reads the spec with it. */
function fsSource(number: number): string {
  return `import * as fs from 'node:fs';
    import { editedText } from ${JSON.stringify(import.meta.url)};
    export * from 'node:fs';
    export default fs;
    export const readFileSync = (path, ...options) => {
      const text = editedText(${number}, path);
      if (text === undefined) return fs.readFileSync(path, ...options);
      return options.length > 0 ? text : Buffer.from(text);
    };`;
}

function javaScriptOf({ read }: Sources, file: string): string {
  const text = read(file);
  if (text === undefined) throw new Error(`there is no ${file}`);
  return file.endsWith('.ts') ? withoutTypes(text) : text;
}

const withoutTypes = cached((text) => stripTypeScriptTypes(text));

const specifiersIn = cached((text) =>
  [...text.matchAll(/\b(?:from|import|import\.meta\.resolve)\s*\(?\s*['"]([^'"\n]+)['"]/g)].map(
    ([, name = '']) => name,
  ),
);

const workspaceModule = cached((specifier) => import.meta.resolve(specifier));

/** The address of a module of the repository; nothing for those of npm and Node. */
function resolve(specifier: string, importer = ''): string | undefined {
  if (specifier.startsWith('.')) return new URL(specifier, importer).href;
  return /^(@petstore|petctl)\//.test(specifier) ? workspaceModule(specifier) : undefined;
}

function fileOf(root: string, url: string | undefined): string | undefined {
  if (!url?.startsWith('file:')) return undefined;
  const file = pathBelow(root, fileURLToPath(url));
  return file.startsWith('..') || file.includes('node_modules/') ? undefined : file;
}

const pathBelow = (root: string, path: string) => relative(root, path).replaceAll('\\', '/');

registerHooks({ resolve: resolveHook, load: loadHook });
