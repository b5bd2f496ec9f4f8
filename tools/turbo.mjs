// turbo without its telemetry: it can be told so only through the environment, which npm scripts cannot set everywhere.
import { createRequire } from 'node:module';

process.env.TURBO_TELEMETRY_DISABLED = '1';
createRequire(import.meta.url)('turbo/bin/turbo');
