import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root, textOf } from '../repository.ts';
import { readSpec, type Spec } from './openapi.ts';

/** The repository as the checks see it. Paths are relative to its root, with slashes. */
export interface Project {
  readonly spec: Spec;
  /** The text of a file. Throws if there is none. */
  read(file: string): string;
  /** All files below a folder. */
  list(folder: string): string[];
}

export function openProject(): Project {
  return {
    get spec() {
      return readSpec(textOf);
    },
    read: textOf,
    list: (folder) =>
      readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
        .sort(),
  };
}

/** The texts of the modules below a folder. */
export function sourcesIn(project: Project, folder: string): string[] {
  const sources = project.list(folder).filter((file) => /\.(ts|mjs|js)$/.test(file));
  return sources.map(project.read);
}
