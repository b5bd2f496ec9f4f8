import { describe } from 'vitest';
import { finds } from './checking.ts';
import { plantedInPages } from './planted-pages.ts';

describe('the check finds', () => finds(plantedInPages));
