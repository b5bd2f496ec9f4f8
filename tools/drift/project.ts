import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root } from '../repository.ts';
import { cached } from './cached.ts';
import { type LoadModule, moduleLoader } from './modules.ts';
import { readSpec, type Spec, specFile } from './openapi.ts';

/** New texts of files by their paths; `undefined` removes a file. */
export type Edits = Readonly<Record<string, string | undefined>>;

/** The repository as data, with edits that exist only in memory; only tests edit. Paths are relative to its root, with slashes. */
export interface Project {
  /** The spec, with the files that it refers to. */
  readonly spec: Spec;
  /** The commit to compare the spec with. */
  readonly base: Base;
  /** The text of a file. Throws if there is none. */
  read(file: string): string;
  /** Whether there is such a file or folder. */
  exists(path: string): boolean;
  /** All files below a folder. */
  list(folder: string): string[];
  /** Loads a module of the repository by the name it is imported by. Edited modules, and what imports them, are new instances. */
  load<T>(specifier: string): Promise<T>;
  with(edits: Edits): Project;
  /** The same project, which calls `onRead` with each file that is read, and each folder that is listed. */
  observed(onRead: (path: string) => void): Project;
}

/** The texts of the modules below a folder. */
export function sourcesIn(project: Project, folder: string): string[] {
  const sources = project.list(folder).filter((file) => /\.(ts|mjs|js)$/.test(file));
  return sources.map(project.read);
}

/** Opens the repository. Files are read when a check asks for them, and once. */
export function openProject(): Project {
  let base: Base | undefined;
  const fromDisk = cached((file: string) =>
    existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : undefined,
  );

  const projectWith = (edits: Edits, loader?: LoadModule, onRead?: (path: string) => void): Project => {
    const project: Project = {
      get spec() {
        return readSpec(project.read);
      },
      get base() {
        base ??= findBase(root, process.env);
        return base;
      },
      read: (file) => {
        onRead?.(file);
        const text = file in edits ? edits[file] : fromDisk(file);
        if (text === undefined) throw new Error(`there is no ${file}`);
        return text;
      },
      exists: (path) => {
        onRead?.(path);
        if (path in edits) return edits[path] !== undefined;
        const folder = path.endsWith('/') ? path : `${path}/`;
        return existsSync(join(root, path)) || existing(edits).some((file) => file.startsWith(folder));
      },
      list: (folder) => {
        onRead?.(folder);
        const added = existing(edits).filter((file) => file.startsWith(`${folder}/`));
        return [...filesBelow(folder).filter((file) => !(file in edits)), ...added].sort();
      },
      load: (specifier) => load(specifier, onRead),
      with: (more) => projectWith({ ...edits, ...more }),
      observed: (observer) => projectWith(edits, load, observer),
    };
    const load = loader ?? moduleLoader({ edits, read: project.read, exists: project.exists });
    return project;
  };
  return projectWith({});
}

const existing = (edits: Edits) => Object.keys(edits).filter((file) => edits[file] !== undefined);

function filesBelow(folder: string): string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'));
}

/** The commit that the spec is compared with. */
interface Base {
  /** Its name, as findings state it. */
  name: string;
  /** The text of a file of the commit. Throws if the file does not exist. Undefined without a commit. */
  read?: (file: string) => string;
  /** Why the base that the environment names cannot be used. */
  problem?: string;
}

/**
 * The base that the environment names. Otherwise the first of these that has a spec: the upstream branch and `origin/main`, each
 * only if it lacks a commit of this branch; the last release; the last commit.
 */
export function findBase(root: string, env: NodeJS.ProcessEnv): Base {
  const { PETSTORE_BASE, GITHUB_BASE_REF } = env;
  const named = PETSTORE_BASE || (GITHUB_BASE_REF && `origin/${GITHUB_BASE_REF}`);
  if (named) return baseAt(root, named) ?? { name: named, problem: `git finds no ${specFile} there` };
  const branches = ['@{upstream}', 'origin/main'].filter(
    (branch) => git(root, 'merge-base', '--is-ancestor', 'HEAD', branch) === undefined,
  );
  const release = git(root, 'describe', '--tags', '--abbrev=0', '--match', '*@[0-9]*')?.trim();
  for (const ref of [...branches, release, 'HEAD']) {
    const base = ref && baseAt(root, ref);
    if (base) return base;
  }
  return { name: 'nothing, because this is no git repository with a commit' };
}

/** The commit at which this branch left `ref`, so later changes of `ref` do not count; undefined if the commit has no spec. */
function baseAt(root: string, ref: string): Base | undefined {
  const commit = git(root, 'merge-base', ref, 'HEAD') ?? git(root, 'rev-parse', '--verify', `${ref}^{commit}`);
  if (!commit) return undefined;
  // Each call starts a process.
  const textAt = cached((file: string) => git(root, 'show', `${commit.trim()}:${file}`));
  const name = ref === '@{upstream}' ? git(root, 'rev-parse', '--abbrev-ref', ref)?.trim() : ref;
  if (textAt(specFile) === undefined) return undefined;
  const read = (file: string) => {
    const text = textAt(file);
    if (text === undefined) throw new Error(`there is no ${file} in ${name}`);
    return text;
  };
  return { name: `${name} (${commit.slice(0, 7)})`, read };
}

function git(root: string, ...args: string[]): string | undefined {
  // A spec may be larger than the default buffer.
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: Infinity });
  return status === 0 ? stdout : undefined;
}
