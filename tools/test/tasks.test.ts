import { execFileSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ConfigEnv, ViteUserConfigExport } from 'vitest/config';
import { fileGraph } from '../drift/modules.ts';
import { openProject } from '../drift/project.ts';
import { root } from '../repository.ts';

interface Task {
  taskId: string;
  directory: string;
  inputs: Record<string, string>;
  dependencies: string[];
}

const mode = 'no-server';
const project = openProject();
const filesWith = fileGraph({ edits: {}, read: project.read, exists: project.exists });

function plannedTasks(...tasks: string[]): Map<string, Task> {
  const command = ['tools/turbo.mjs', 'run', ...tasks, '--dry=json'];
  const plan = JSON.parse(execFileSync(process.execPath, command, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 }));
  return new Map(plan.tasks.map((task: Task) => [task.taskId, task]));
}

/** The files whose change has turbo run a task again. */
function inputsOf(tasks: ReadonlyMap<string, Task>, id: string): string[] {
  const task = tasks.get(id);
  if (!task) throw new Error(`turbo has no task ${id}`);
  const own = Object.keys(task.inputs).map((file) => join(task.directory, file));
  return [...own, ...task.dependencies.flatMap((dependency) => inputsOf(tasks, dependency))];
}

/** The test files of a package that use nothing of the server. */
async function testFiles(folder: string): Promise<string[]> {
  const env: ConfigEnv = { mode, command: 'serve' };
  const { default: config }: { default: ViteUserConfigExport } = await import(join(root, folder, 'vitest.config.ts'));
  const { test } = await (typeof config === 'function' ? config(env) : config);
  return globSync(test?.include ?? [], { cwd: join(root, folder) }).map((file) => join(folder, file));
}

const tasks = plannedTasks(`test:${mode}`, '//#generate');

test.each([
  ['petctl', 'apps/petctl'],
  ['@petstore/tools', 'tools'],
])(
  'the tests of %s without a server use none, and run again when a file that they use has changed',
  async (name, folder) => {
    const files = await testFiles(folder);
    expect(files.length).toBeGreaterThan(5);
    const used = [...new Set(files.flatMap((file) => [...filesWith(file)]))];
    const inputs = inputsOf(tasks, `${name}#test:${mode}`);
    expect(used.filter((file) => !inputs.includes(file))).toEqual([]);
    expect(inputs.filter((file) => file.startsWith('apps/server/'))).toEqual([]);
    // They do not start it as a program either.
    const starting = used.filter((file) => file.includes('/test/') && project.read(file).includes('apps/server'));
    expect(starting).toEqual([]);
  },
);

test('npm run dev generates again when a file that the generator loads has changed', () => {
  const inputs = inputsOf(tasks, '//#generate');
  const loaded = [...filesWith('tools/generate/main.ts')].filter((file) => !file.includes('/gen/'));
  expect(loaded.filter((file) => !inputs.includes(file))).toEqual([]);
  expect(inputs).toContain('spec/openapi.yaml');
});
