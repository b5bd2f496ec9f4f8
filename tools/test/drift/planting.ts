import type { Edits, Project } from '../../drift/project.ts';
import { generateEverything } from '../../generate/everything.ts';
import { readModel } from '../../generate/generate.ts';

/** A small edit of the repository, and the check that has to find it. */
export interface PlantedDrift {
  check: string;
  name: string;
  edits(project: Project): Promise<Edits>;
}

/** New texts of a file by what is wrong with them. An added file is made of an empty text; `undefined` removes one. */
export type Changes = Record<string, (text: string) => string | undefined>;

export const specFile = 'spec/openapi.yaml';

/** The path of the operation that reads one pet, as the spec has it. */
export const getPet = '  /pets/{petId}:\n';

/** Sources that are edited in several lists. */
export const source = {
  handlers: 'apps/server/src/handlers.ts',
  response: 'apps/server/src/http/response.ts',
  dispatch: 'apps/server/src/http/dispatch.ts',
  calls: 'packages/client/src/gen/calls.gen.ts',
  fieldFlags: 'apps/petctl/src/commands/operation-flags.ts',
  commandTree: 'apps/petctl/src/commands/tree.ts',
} as const;

/** Replaces the first match behind a marker. */
export const put = (marker: string, find: string | RegExp, by: string) => (text: string) => {
  const start = text.indexOf(marker);
  if (start < 0) throw new Error(`there is no ${marker}`);
  return text.slice(0, start) + text.slice(start).replace(find, by);
};

/** Replaces the first match. */
export const swap = (find: string | RegExp, by: string) => (text: string) => text.replace(find, () => by);

export const edits = (check: string, file: string, changes: Changes): PlantedDrift[] =>
  Object.entries(changes).map(([name, change]) => ({
    check,
    name: `${file}: ${name}`,
    edits: async (project) => {
      const before = project.exists(file) ? project.read(file) : '';
      const after = change(before);
      if (after === before) throw new Error(`the edit of ${file} changes nothing`);
      return { [file]: after };
    },
  }));

/** Edits of the spec whose generated code was forgotten. */
export const forgotten = (changes: Changes) => edits('generated', specFile, changes);

/** Edits of the spec, with the code generated from it. */
export const described = (check: string, changes: Changes): PlantedDrift[] =>
  edits(check, specFile, changes).map((drift) => ({
    ...drift,
    name: `${drift.name}, generated`,
    edits: async (project) => {
      const edited = await drift.edits(project);
      return { ...edited, ...Object.fromEntries(await generateEverything(readModel(edited[specFile] ?? ''))) };
    },
  }));

/** Edits of the spec, with the code generated from it, and without a changeset. */
export const unannounced = (changes: Changes): PlantedDrift[] =>
  described('breakingChanges', changes).map((drift) => ({
    ...drift,
    edits: async (project) => {
      const changesets = project.list('.changeset').filter((file) => file.endsWith('.md'));
      return { ...(await drift.edits(project)), ...Object.fromEntries(changesets.map((file) => [file, undefined])) };
    },
  }));

/** Edits of petctl after which its reference was generated again. */
export const documented = (file: string, changes: Changes): PlantedDrift[] =>
  edits('petctl', file, changes).map((drift) => ({
    ...drift,
    name: `${drift.name}, documented`,
    edits: async (project) => {
      const edited = await drift.edits(project);
      const { fullTree, markdown } = await project
        .with(edited)
        .load<typeof import('petctl/internal')>('petctl/internal');
      return { ...edited, 'docs/petctl.md': markdown(fullTree()) };
    },
  }));

/** What `npm run generate` makes of a project: generated code, petctl's reference, and its list of manual pages. */
export async function generatedFrom(project: Project): Promise<Edits> {
  const made = Object.fromEntries(await generateEverything(project.spec.model));
  const { fullTree, manPages, markdown } = await project
    .with(made)
    .load<typeof import('petctl/internal')>('petctl/internal');
  const tree = fullTree();
  const manifest = 'apps/petctl/package.json';
  const man = [...manPages(tree, 'any').keys()].map((page) => `./dist/man/${page}`);
  return {
    ...made,
    'docs/petctl.md': markdown(tree),
    [manifest]: `${JSON.stringify({ ...JSON.parse(project.read(manifest)), man }, undefined, 2)}\n`,
  };
}
