// Builds `dist`, which is what is published: ES modules, and beside them what they read.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

// tsc does not remove what a former build left.
rmSync('dist', { recursive: true, force: true });
const compiler = fileURLToPath(import.meta.resolve('typescript/package.json'));
const { status } = spawnSync(process.execPath, [join(dirname(compiler), 'bin/tsc'), '-p', 'tsconfig.build.json'], {
  stdio: 'inherit',
});
process.exitCode = status ?? 1;

cpSync('src/docs/look.css', 'dist/docs/look.css');
const swaggerUi = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')));
mkdirSync('dist/swagger-ui');
for (const file of ['swagger-ui-bundle.js', 'swagger-ui-bundle.js.LICENSE.txt', 'swagger-ui.css', 'NOTICE'])
  cpSync(join(swaggerUi, file), join('dist/swagger-ui', file));
// Under its own name pnpm would take it for the licence of the package.
cpSync(join(swaggerUi, 'LICENSE'), 'dist/swagger-ui/THIRD-PARTY-LICENSE.txt');
