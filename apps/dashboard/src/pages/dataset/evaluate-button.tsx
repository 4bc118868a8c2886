import { useNavigate } from '@tanstack/react-router';
import { Button } from '../../components/button.js';

/** Leads to the form that has a model answer every datapoint of a dataset. */
export function EvaluateButton({ datasetId }: { datasetId: string }) {
  const navigate = useNavigate();
  return (
    <Button writes onClick={() => void navigate({ to: '/evaluations/new', search: { dataset: datasetId } })}>
      Evaluate
    </Button>
  );
}
