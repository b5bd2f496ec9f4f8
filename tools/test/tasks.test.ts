import { execFileSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ConfigEnv, ViteUserConfigExport } from 'vitest/config';
import { fileGraph } from '../drift/modules.ts';
import { openProject } from '../drift/project.ts';
import { root } from '../repository.ts';
import { repositoryFiles } from './repository-copy.ts';

interface Task {
  taskId: string;
  directory: string;
  command: string;
  inputs: Record<string, string>;
  dependencies: string[];
}

const project = openProject();
const filesWith = fileGraph({ edits: {}, read: project.read, exists: project.exists });
const committed = repositoryFiles();
const command = ['tools/turbo.mjs', 'run', 'test', 'test:no-server', 'test:deep', '//#generate', '--dry=json'];
const plan = JSON.parse(execFileSync(process.execPath, command, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 }));
const tasks = new Map<string, Task>(plan.tasks.map((task: Task) => [task.taskId, task]));

/** The files whose change has turbo run a task again. */
function inputsOf(id: string): ReadonlySet<string> {
  const task = tasks.get(id);
  if (!task) throw new Error(`turbo has no task ${id}`);
  const own = Object.keys(task.inputs).map((file) => join(task.directory, file));
  const inherited = task.dependencies.flatMap((dependency) => [...inputsOf(dependency)]);
  return new Set([...Object.keys(plan.globalCacheInputs.files), ...own, ...inherited]);
}

/** The files that the tests of a package import in a mode, and the files that these do. */
async function usedBy(folder: string, mode: string): Promise<string[]> {
  const env: ConfigEnv = { mode, command: 'serve' };
  const { default: config }: { default: ViteUserConfigExport } = await import(join(root, folder, 'vitest.config.ts'));
  const { test } = await (typeof config === 'function' ? config(env) : config);
  const files = globSync(test?.include ?? [], { cwd: join(root, folder), exclude: test?.exclude ?? [] });
  expect(files.length).toBeGreaterThan(0);
  return [...new Set(files.flatMap((file) => [...filesWith(join(folder, file))]))];
}

/** The files of the repository that a module names by their paths, as `textOf('LICENSE')` does. */
function namedIn(file: string): string[] {
  const text = project.read(file);
  return committed.filter((name) => text.includes(`'${name}'`));
}

const modes: Record<string, string> = { test: 'server', 'test:no-server': 'no-server', 'test:deep': 'deep' };
const testTasks = [...tasks.values()].flatMap(({ taskId, directory, command }) => {
  const mode = modes[taskId.replace(/.*#/, '')];
  return mode && command.includes('vitest') ? [{ taskId, directory, mode }] : [];
});

test.each(testTasks)('$taskId runs again when a file that its tests import or name has changed', async (task) => {
  const used = await usedBy(task.directory, task.mode);
  const inputs = inputsOf(task.taskId);
  expect([...used, ...used.flatMap(namedIn)].filter((file) => !inputs.has(file))).toEqual([]);
});

test.each(testTasks.filter(({ mode }) => mode === 'no-server'))('$taskId uses no server', async (task) => {
  expect([...inputsOf(task.taskId)].filter((file) => file.startsWith('apps/server/'))).toEqual([]);
  // The tests do not start it as a program either.
  const used = await usedBy(task.directory, task.mode);
  expect(used.filter((file) => file.includes('/test/') && project.read(file).includes('apps/server'))).toEqual([]);
});

test('npm run dev generates again when a file that the generator loads has changed', () => {
  const inputs = inputsOf('//#generate');
  const loaded = [...filesWith('tools/generate/main.ts')].filter((file) => !file.includes('/gen/'));
  expect(loaded.filter((file) => !inputs.has(file))).toEqual([]);
  expect(inputs.has('spec/openapi.yaml')).toBe(true);
});
