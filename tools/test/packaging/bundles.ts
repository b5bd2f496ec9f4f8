import { join } from 'node:path';
import { build as esbuild } from 'esbuild';
import { build as vite } from 'vite';

/** Bundles a program of a project into one file of a folder, for browsers. */
export type Bundler = (project: string, program: string, folder: string) => Promise<string>;

export const bundlers: Readonly<Record<'esbuild' | 'Vite', Bundler>> = {
  esbuild: async (project, program, folder) => {
    const outfile = join(folder, `esbuild-${program.replace('.js', '.mjs')}`);
    const entryPoints = [join(project, program)];
    const { warnings } = await esbuild({
      entryPoints,
      outfile,
      bundle: true,
      minify: true,
      format: 'esm',
      target: 'es2022',
    });
    if (warnings.length > 0) throw new Error(JSON.stringify(warnings));
    return outfile;
  },
  Vite: async (project, program, folder) => {
    const fileName = `vite-${program.replace('.js', '.mjs')}`;
    await vite({
      root: project,
      configFile: false,
      logLevel: 'warn',
      build: {
        lib: { entry: program, formats: ['es'], fileName: () => fileName },
        outDir: folder,
        emptyOutDir: false,
        minify: true,
      },
    });
    return join(folder, fileName);
  },
};
