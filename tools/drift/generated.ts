// D1: the generated code is what the spec generates.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { besides, generate } from '../generate/main.ts';
import { root, textOf } from '../repository.ts';
import type { Spec } from './interface.ts';
import type { Report } from './report.ts';

export async function check({ text }: Spec, report: Report): Promise<void> {
  const generated = await generate(text);
  for (const [file, code] of generated) {
    if (!existsSync(join(root, file))) report(`${file} is missing`);
    else if (textOf(file) !== code) report(`${file} is not what the spec generates`);
  }
  for (const file of besides(generated)) report(`${file} is not generated`, '', 'remove it');
}
