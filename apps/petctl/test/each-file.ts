import { afterAll } from 'vitest';
import { undoAll } from './after-all.ts';
import { newScratch } from './petctl.ts';

newScratch();
afterAll(undoAll);
