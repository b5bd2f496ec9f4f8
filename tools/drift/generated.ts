// D1: the generated code is what the spec generates.
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { generate } from '../generate/main.ts';
import { root, textOf } from '../repository.ts';
import type { Report, Spec } from './spec.ts';

export async function check({ text }: Spec, report: Report): Promise<void> {
  const generated = await generate(text);
  for (const [file, code] of generated)
    if (!existsSync(join(root, file))) report(`${file} is missing`);
    else if (textOf(file) !== code) report(`${file} is not what the spec generates`);
  for (const folder of new Set([...generated.keys()].map(dirname)))
    for (const name of existsSync(join(root, folder)) ? readdirSync(join(root, folder)) : [])
      if (!generated.has(`${folder}/${name}`)) report(`${folder}/${name} is not generated`, 'remove it');
}
