import { Link } from '@tanstack/react-router';
import styles from './shell.module.css';

/** The line above every page. */
export function Banner() {
  return (
    <header className={styles.banner}>
      <Link to="/traces" className={styles.brand}>
        <img src="/icon.svg" alt="" width={20} height={20} />
        Spandrel
      </Link>
    </header>
  );
}
