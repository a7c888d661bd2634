// Files that are dropped on the page, to be imported.
import { isReadOnly } from '../state/workspace';
import { say } from '../ui/Toasts';
import { importing, isDropping } from './overlays';

const holdsFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false;

export async function takeFile(file: File | undefined): Promise<void> {
  if (!file) return;
  if (isReadOnly.value) return say('This workspace is read-only');
  importing.value = { name: file.name, text: await file.text() };
}

export function chooseFile(): void {
  const input = document.createElement('input');
  input.type = 'file';
  input.accept = '.csv,.tsv,.json,.jsonl,.ndjson';
  input.onchange = () => void takeFile(input.files?.[0]);
  input.click();
}

export function followDrops(): void {
  addEventListener('dragover', event => {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    isDropping.value = true;
  });
  addEventListener('dragleave', event => { if (event.relatedTarget === null) isDropping.value = false; });
  addEventListener('drop', event => {
    isDropping.value = false;
    if (!holdsFiles(event)) return;
    event.preventDefault();
    void takeFile(event.dataTransfer?.files[0]);
  });
}
