// Runs the code of an edited project in this process. An edited module, and each module that imports it, is loaded from
// memory with a URL of its own. All other modules are shared with the unedited project.
import { type LoadHookSync, type ResolveHookSync, registerHooks, stripTypeScriptTypes } from 'node:module';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { root } from '../repository.ts';
import { cached } from './cached.ts';

/** The files of a project. */
export interface Sources {
  edits: Readonly<Record<string, string | undefined>>;
  exists(file: string): boolean;
  /** The text of a file. Throws if the file does not exist. */
  read(file: string): string;
}

/** Loads a module by its specifier, and calls `onRead` with the file of the module and the files of its imports. */
export type LoadModule = <T>(specifier: string, onRead?: (file: string) => void) => Promise<T>;

interface EditedModules extends Sources {
  /** Whether a module is edited, or imports one that is. */
  isAffected(file: string): boolean;
}

/** The edited projects. The URL of a module contains the index of its project. */
const projects: EditedModules[] = [];

/** A function that returns the path of a module, and the paths of all files of the repository that are loaded with it. */
export function fileGraph(sources: Sources): (entry: string) => ReadonlySet<string> {
  const { edits } = sources;
  const imports = cached((file: string) =>
    /\.[cm]?[jt]s$/.test(file)
      ? specifiersIn(sources.read(file))
          .flatMap((specifier) => fileOf(resolve(specifier, pathToFileURL(join(root, file)).href)) ?? [])
          // A removed file stays in the graph, so loading it fails.
          .filter((imported) => sources.exists(imported) || imported in edits)
      : [],
  );
  return cached((entry: string) => {
    const files = new Set([entry]);
    for (const file of files) for (const imported of imports(file)) files.add(imported);
    return files;
  });
}

/** A function that loads the modules of a project. */
export function moduleLoader(sources: Sources): LoadModule {
  const { edits } = sources;
  const reachable = fileGraph(sources);
  const isAffected = cached((file: string) =>
    reachable(file)
      .values()
      .some((imported) => imported in edits),
  );

  let number: number | undefined;
  return async (specifier, onRead) => {
    const url = resolve(specifier, import.meta.url);
    const entry = fileOf(url);
    if (entry === undefined) throw new Error(`${specifier} is no module of the repository`);
    if (onRead) reachable(entry).forEach(onRead);
    if (Object.keys(edits).length === 0 || !isAffected(entry)) return import(`${url}`);
    number ??= projects.push({ ...sources, isAffected }) - 1;
    return import(`${url}?edited=${number}`);
  };
}

/** The edited text of a file, for a module of an edited project; undefined if the file is not edited. */
export function editedText(moduleUrl: string, path: string | URL): string | undefined {
  const { edits } = projectOf(moduleUrl) as EditedModules;
  return edits[pathOf(path instanceof URL ? fileURLToPath(path) : path)];
}

const editedFs = import.meta.resolve('./edited-fs.ts');

const projectOf = (url = ''): EditedModules | undefined => projects[Number(/\?edited=(\d+)$/.exec(url)?.[1])];

const resolveHook: ResolveHookSync = (specifier, context, nextResolve) => {
  const project = projectOf(context.parentURL);
  if (!project || context.parentURL?.startsWith(editedFs)) return nextResolve(specifier, context);
  const query = new URL(context.parentURL ?? '').search;
  if (specifier === 'node:fs') return { url: editedFs + query, shortCircuit: true };
  const url = resolve(specifier, context.parentURL);
  const file = fileOf(url);
  if (file === undefined || !project.isAffected(file)) return nextResolve(specifier, context);
  return { url: url + query, shortCircuit: true };
};

const loadHook: LoadHookSync = (url, context, nextLoad) => {
  const project = projectOf(url);
  if (!project || url.startsWith(editedFs)) return nextLoad(url, context);
  const file = fileOf(url) ?? '';
  const text = project.read(file);
  const source = file.endsWith('.ts') ? withoutTypes(text) : text;
  return { format: file.endsWith('.json') ? 'json' : 'module', source, shortCircuit: true };
};

const withoutTypes = cached((text: string) => stripTypeScriptTypes(text));

/** The specifiers that a module imports, other than types. By a regex: stripping the types of all modules takes a second. */
const specifiersIn = cached((text: string) =>
  [
    ...text
      .replace(/^(?:import|export) type [^;]*;$/gm, '')
      .matchAll(/\b(?:from|(?<!typeof )import|import\.meta\.resolve)\s*\(?\s*['"]([^'"\n]+)['"]/g),
  ].map(([, name = '']) => name),
);

const workspaceModule = cached((specifier: string) => import.meta.resolve(specifier));

/** The URL of a module of the repository; undefined for the modules of npm and Node. */
function resolve(specifier: string, importer = ''): string | undefined {
  if (specifier.startsWith('.')) return new URL(specifier, importer).href;
  return /^(@petstore|petctl)\//.test(specifier) ? workspaceModule(specifier) : undefined;
}

function fileOf(url: string | undefined): string | undefined {
  if (!url?.startsWith('file:')) return undefined;
  const file = pathOf(fileURLToPath(url));
  return file.startsWith('..') || file.includes('node_modules/') ? undefined : file;
}

const pathOf = (path: string) => relative(root, path).replaceAll('\\', '/');

registerHooks({ resolve: resolveHook, load: loadHook });
