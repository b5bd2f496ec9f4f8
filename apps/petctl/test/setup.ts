// Runs before each test file. Test files share processes, and this file gives each a folder of its own.
import { afterAll } from 'vitest';
import { cleanUp, makeScratch } from './scratch.ts';

makeScratch();
afterAll(cleanUp);
