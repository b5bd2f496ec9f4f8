// Generated from spec/openapi.yaml (86843959e4c88ba0) by `npm run generate`. Do not edit.

export type {
  ApiError,
  CategoryId,
  ErrorCode,
  NewPet,
  Pet,
  PetId,
  PetName,
  PetStatus,
} from '@petstore/types';
